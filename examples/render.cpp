// Frames are rendered in parallel and written one after the other: while another process writes,
// this one goes on rendering.
//
//   render FILE FRAMES
#include <cmath>
#include <conch/peer.hpp>
#include <conch/ticket.hpp>
#include <fstream>
#include <iostream>
#include <string>

namespace {

/// A little work.
double pixel(int frame, int number) { return std::sin(frame * 0.01 + number * 0.1); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: render FILE FRAMES\n", 2;
  try {
    conch::Peer peer;
    conch::Ticket film(peer, "film");
    int pixels_while_waiting = 0;
    for (int frame = std::stoi(argv[2]); frame > 0; --frame) {
      double light = 0;
      film.request();  // a place in the queue, without waiting
      int pixels = 0;
      for (; !film.ready(); ++pixels) light += pixel(frame, pixels);
      pixels_while_waiting += pixels;
      film.acquire();  // does not wait any more
      std::ofstream(argv[1], std::ios::app) << frame << ' ' << film.fence() << ' ' << light << '\n';
      film.release();
    }
    std::cout << pixels_while_waiting << " pixels while others wrote\n";
  } catch (const std::exception& error) {
    std::cerr << "render: " << error.what() << '\n';
    return 1;
  }
}
