// The part of the page's address behind the #, which the page and its reader both write: the page
// to say what it shows, the reader by a link, the keyboard, or going back.
//
//   const fragment = new Fragment(() => "#page=7", () => open(location.hash));
//   fragment.keepSoon();   // a moment later the address says "#page=7"
//
// What the reader has written is never written over unread. The browser tells of it in a task of
// its own, and a page that is busy may be about to write before that.

/** Not at every step of a run that goes fast: browsers do not like that. */
const delay = 200;

export class Fragment {
  private known = location.hash;
  private due = 0;
  private readonly read = () => {
    if (location.hash === this.known) return;
    this.known = location.hash;
    this.follow();
  };

  constructor(
    private readonly format: () => string,
    /** The reader has written another. */
    private readonly follow: () => void,
  ) {
    addEventListener("hashchange", this.read);
  }

  keepSoon(): void {
    clearTimeout(this.due);
    this.due = window.setTimeout(() => this.keep(), delay);
  }

  /** The address says what the page shows. */
  keep(): void {
    this.read();
    const hash = this.format();
    if (hash !== location.hash) history.replaceState(null, "", hash);
    this.known = location.hash;
  }

  leave(): void {
    clearTimeout(this.due);
    removeEventListener("hashchange", this.read);
  }
}
