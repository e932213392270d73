// The dialog for changes of the group, which need the peer's token. The page keeps the token while
// it is open.
import { h } from "../shared/dom";
import { act } from "./talk";

export interface Wish {
  title: string;
  /** What will happen. */
  warning: string;
  button: string;
  path: string;
  body: object;
}

export class Actions {
  readonly element: HTMLDialogElement;
  private readonly title = h("h2");
  private readonly warning = h("p");
  private readonly token = h("input", {
    type: "password",
    autocomplete: "off",
    id: "token",
    "aria-describedby": "token-help",
  });
  private readonly outcome = h("p", { class: "outcome", role: "alert" });
  private readonly confirm = h("button", { class: "danger", type: "submit" });
  private wish: Wish | null = null;

  constructor(private readonly done: (wish: Wish) => void) {
    this.element = h(
      "dialog",
      { class: "ask", "aria-labelledby": "ask-title" },
      h(
        "form",
        { method: "dialog", onsubmit: (event: Event) => this.submit(event) },
        this.title,
        this.warning,
        h("label", { for: "token" }, "Token of this peer"),
        this.token,
        h(
          "p",
          { id: "token-help", class: "quiet" },
          "The content of its --http-token-file. This page keeps it until it is closed.",
        ),
        this.outcome,
        h(
          "div",
          { class: "buttons" },
          h("button", { type: "button", onclick: () => this.element.close() }, "Cancel"),
          this.confirm,
        ),
      ),
    );
    this.title.id = "ask-title";
  }

  ask(wish: Wish) {
    this.wish = wish;
    this.title.textContent = wish.title;
    this.warning.textContent = wish.warning;
    this.confirm.textContent = wish.button;
    this.outcome.textContent = "";
    this.confirm.disabled = false;
    this.element.showModal();
    (this.token.value ? this.confirm : this.token).focus();
  }

  private async submit(event: Event) {
    event.preventDefault();
    const wish = this.wish;
    if (!wish) return;
    this.confirm.disabled = true;
    this.outcome.textContent = "…";
    const why = await act(wish.path, this.token.value.trim(), wish.body);
    this.confirm.disabled = false;
    this.outcome.textContent = why ?? "";
    if (why !== null) return;
    this.element.close();
    this.done(wish);
  }
}
