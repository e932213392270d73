// What can be done with a node or a message now, as commands of a scenario. A command that cannot
// be run says why, so these need not be exact, only worth offering.
import type { Entry, Member, Message, Sight } from "./module";

export interface Action {
  label: string;
  /** The commands, in order. */
  lines: string[];
  /** Whether the action is a fault. */
  fault?: boolean;
}

const act = (label: string, ...lines: string[]): Action => ({ label, lines });
const fault = (label: string, ...lines: string[]): Action => ({ label, lines, fault: true });

export function isPresent(member: Member): boolean {
  return member.phase !== "left" && member.phase !== "crashed";
}

/** The most that a menu lists one by one. */
const listed = 6;

export function nodeActions(member: Member, sight: Sight, entry: Entry): Action[] {
  const { node, phase } = member;
  const actions: Action[] = [];
  if (entry.can.elects) actions.push(...electionActions(member, entry));
  else actions.push(...lockActions(member, entry));
  for (const timer of member.armed)
    actions.push(act(`Timer ${timer} fires`, `timer ${node} ${timer}`));
  if (entry.can.dynamic) actions.push(...membershipActions(member, sight));
  if (!isPresent(member) && phase !== "crashed") return actions;
  if (phase === "crashed" && entry.can.recovers)
    actions.push(act("The others go on without it", "recover"));
  if (isPresent(member)) actions.push(fault("Crash", `crash ${node}`));
  if (entry.can.suspecting) actions.push(...suspicions(member, sight));
  if (isPresent(member)) actions.push(...partitions(node, sight));
  return actions;
}

function lockActions({ node, phase }: Member, entry: Entry): Action[] {
  if (phase === "inside") return [act("Release", `release ${node}`)];
  if (phase === "waiting") return [act("Cancel the request", `cancel ${node}`)];
  if (phase !== "idle") return [];
  const ask = act("Request", `request ${node}`);
  return entry.can.shared ? [ask, act("Request, to read only", `request ${node} read`)] : [ask];
}

function electionActions(member: Member, entry: Entry): Action[] {
  const { node, phase } = member;
  if (phase === "crashed") return entry.can.restarts ? [act("Restart", `restart ${node}`)] : [];
  const actions = [act("Begin an election", `elect ${node}`)];
  if (member.elected === node && !member.retired) actions.push(act("Retire", `retire ${node}`));
  return actions;
}

function membershipActions({ node, phase }: Member, sight: Sight): Action[] {
  if (phase === "left") {
    const contact = sight.members.find(isPresent);
    return contact ? [act(`Rejoin through ${contact.node}`, `join ${node} ${contact.node}`)] : [];
  }
  const actions: Action[] = [];
  if (phase === "idle") actions.push(act("Leave the group", `leave ${node}`));
  if (phase !== "crashed" && sight.newcomer !== undefined)
    actions.push(act(`Welcome a newcomer, ${sight.newcomer}`, `join ${sight.newcomer} ${node}`));
  return actions;
}

function suspicions({ node }: Member, sight: Sight): Action[] {
  const watchers = sight.members.filter((other) => isPresent(other) && other.node !== node);
  const lines = watchers.map((watcher) => `suspect ${watcher.node} ${node}`);
  const actions = watchers
    .slice(0, listed)
    .map((watcher, i) => fault(`Is suspected by ${watcher.node}`, lines[i]));
  if (lines.length > 1) actions.push(fault("Is suspected by all", ...lines));
  return actions;
}

function partitions(node: number, { members, left, right }: Sight): Action[] {
  const known = members.map((member) => member.node);
  if (left.includes(node)) {
    const fewer = left.filter((other) => other !== node);
    if (fewer.length === 0) return [act("Heal the partition", "heal")];
    return [act("Bring back to the others", partition(fewer, [...right, node]))];
  }
  const cut = [...left, node];
  const rest = known.filter((other) => !cut.includes(other));
  return rest.length > 0 ? [fault("Cut off from the others", partition(cut, rest))] : [];
}

function partition(left: number[], right: number[]): string {
  return `partition ${left.join(",")} | ${right.join(",")}`;
}

/** `1 -> 0 REQUEST` */
export function wayOf(message: Message): string {
  return `${message.from} -> ${message.to} ${message.kind}`;
}

/** Whether an older message of its kind is on its channel: commands mean the oldest. */
export function isBehind(message: Message, flight: Message[]): boolean {
  return flight.find((other) => wayOf(other) === wayOf(message)) !== message;
}

export function messageActions(message: Message): Action[] {
  const way = wayOf(message);
  const deliver = act("Deliver", `deliver ${way}`);
  const hold = message.held ? act("Let go", `# let go ${way}`) : act("Hold back", `# hold ${way}`);
  return [
    ...(message.parted ? [] : [deliver]),
    hold,
    fault("Duplicate", `duplicate ${way}`),
    fault("Drop", `drop ${way}`),
  ];
}
