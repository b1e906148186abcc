/**
 * A value that is there already, or a promise of it. Awaiting a value that is already there costs as much as waiting
 * for one that is not, and most steps of a message have theirs at once.
 */
export type Soon<Value> = Value | Promise<Value>

/** Continues at once if the value is there already. */
export const whenReady = <Value, Next>(soon: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  soon instanceof Promise ? soon.then(next) : next(soon)
