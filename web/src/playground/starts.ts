// Runs to begin with, each with a hint.

export interface Start {
  name: string;
  hint: string;
  lines: string[];
}

export const starts: Start[] = [
  {
    name: "Hand the token round",
    hint:
      "The token goes round the ring, and whoever wants to enter keeps it while inside. " +
      "Press Step until 2 is inside, then click 2 and release.",
    lines: ["nodes 4 ring", "request 2"],
  },
  {
    name: "Reverse a path",
    hint:
      "A solid arrow leads to whom a node believes to be the last who asked. " +
      "4 has just asked: press Step, and see every arrow on the way turn round to 4.",
    lines: [
      "nodes 5 naimi-trehel",
      ...["request 1", "deliver 1 -> 0 REQUEST", "deliver 0 -> 1 TOKEN", "release 1"],
      ...["request 2", "deliver 2 -> 0 REQUEST", "deliver 0 -> 1 REQUEST", "deliver 1 -> 2 TOKEN"],
      "request 4",
    ],
  },
  {
    name: "Make Maekawa's votes deadlock",
    hint:
      "This is the algorithm as textbooks print it. All three have asked, and each has voted " +
      "for itself. Press Step until nothing is in flight: nobody can enter. Then click 0 and let " +
      "it change its mind.",
    lines: ["nodes 3 maekawa-textbook voting grid", "request 0", "request 1", "request 2"],
  },
  {
    name: "Lose the token",
    hint:
      "1 waits, and the token is on its way to it. Click the message and drop it: nobody will " +
      "ever enter again.",
    lines: ["nodes 4 naimi-trehel", "request 1", "deliver 1 -> 0 REQUEST"],
  },
  {
    name: "Recover from a crash",
    hint:
      "1 is inside with the token, and 2 waits. Click 1 and let it crash: nobody hands the token " +
      "on any more. Click it again, and the others go on without it, as peers do.",
    lines: [
      "nodes 4 naimi-trehel",
      ...["request 1", "deliver 1 -> 0 REQUEST", "deliver 0 -> 1 TOKEN"],
      ...["request 2", "deliver 2 -> 0 REQUEST", "deliver 0 -> 1 REQUEST"],
    ],
  },
];
