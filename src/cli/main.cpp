#include <cstdio>
#include <cstdlib>
#include "sim/simulation.hpp"
using namespace conch; using namespace conch::sim;
#include <iostream>
int main(int argc,char**argv){ std::cout<<std::unitbuf; Options o; o.algorithm=argv[1]; int n=atoi(argv[2]); o.clusters={Node(n)}; int seeds=atoi(argv[3]); int mode=argc>4?atoi(argv[4]):0; 
 for(int s=1;s<=seeds;s++){ o.seed=s; o.clusters={Node(n>0?n:1+s%9)}; if(mode&1) o.cancel=0.3; if(mode&2) o.channel=Channel::any; if(mode&4){o.faults.lose=0.1;o.faults.duplicate=0.1;} if(mode&8) o.churn=0.5; if(mode&16) o.chatter=0.5; if(mode&32) o.faults.storm=std::chrono::seconds(1);
 auto sink=ndjson_sink(std::cout); if(argc>5&&atoi(argv[5])!=s) continue; auto r=simulate(o, argc>5?sink.get():nullptr); if(r.violation||seeds<3) printf("%s seed %d n %d: entries %lu withdrawn %lu msgs %lu %s: %s me3 %s\n",argv[1],s,(int)o.nodes(),r.report.entries,r.report.withdrawn,r.report.messages.total,r.trace_hash.c_str(),r.violation?r.violation->what.c_str():"ok", std::string(word(r.order)).c_str()); } }
