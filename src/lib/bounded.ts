/** Runs at most so many acts under one key at once, and refuses more. */
export type Bounded = <Result>(key: string, act: () => Promise<Result>) => Promise<Result>

/** `refusal` makes the error that an act too many rejects with. */
export function boundedPerKey(most: number, refusal: () => Error): Bounded {
  const running = new Map<string, number>()
  return async (key, act) => {
    const count = running.get(key) ?? 0
    if (count >= most) throw refusal()
    running.set(key, count + 1)
    try {
      return await act()
    } finally {
      const left = (running.get(key) ?? 0) - 1
      if (left > 0) running.set(key, left)
      else running.delete(key)
    }
  }
}
