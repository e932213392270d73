// The part of the page's address behind the #, which the page and its reader both write: the page
// to say what it shows, the reader by a link, the keyboard, or going back.
//
//   const fragment = new Fragment(() => "#page=7", () => open(location.hash));
//   fragment.keepSoon();   // a moment later the address says "#page=7"
//
// The page never overwrites an address of the reader unread. The browser reports it in a task of
// its own, and a busy page may be about to write before that.

/** Browsers do not like a new address at every step of a fast run. */
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
    /** Called when the reader has changed the address. */
    private readonly follow: () => void,
  ) {
    addEventListener("hashchange", this.read);
  }

  keepSoon(): void {
    clearTimeout(this.due);
    this.due = window.setTimeout(() => this.keep(), delay);
  }

  /** Makes the address say what the page shows. */
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
