/**
 * A request whose bytes are encoded once. Each run of `#` is a placeholder for a running number, so that every request
 * has its own keys and recipients at the cost of writing a few digits.
 */
export type Request = Readonly<{
  method: 'GET' | 'POST'
  /** Several paths are requested in turn. */
  path: string | readonly string[]
  headers: Readonly<Record<string, string>>
  /** Several bodies are sent in turn. */
  body: string | readonly string[]
}>

type Slot = Readonly<{ last: number; first: number }>

const ZERO = 48
const HASH = 35

export class RequestBytes {
  readonly bytes: Buffer
  readonly #slots: readonly Slot[]

  constructor({ method, headers }: Pick<Request, 'method' | 'headers'>, path: string, body: string) {
    const content = Buffer.from(body)
    const fields = { host: '127.0.0.1', ...headers, 'content-length': String(content.length) }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    this.bytes = Buffer.concat([head, content])
    this.#slots = slotsOf(this.bytes)
  }

  /** Fills every placeholder with the next number; returns the last one used. */
  number(from: number): number {
    let next = from
    for (const slot of this.#slots) {
      next += 1
      this.#write(slot, next)
    }
    return next
  }

  /** The lowest digits that fit. */
  #write({ first, last }: Slot, value: number): void {
    let rest = value
    for (let index = last; index >= first; index -= 1) {
      const shorter = Math.trunc(rest / 10)
      this.bytes[index] = ZERO + rest - shorter * 10
      rest = shorter
    }
  }
}

/** One per path and body. */
export const toBytes = ({ path, body, ...same }: Request): readonly RequestBytes[] =>
  [path].flat().flatMap((to) => [body].flat().map((one) => new RequestBytes(same, to, one)))

function slotsOf(bytes: Buffer): readonly Slot[] {
  const slots: Slot[] = []
  for (let first = bytes.indexOf(HASH); first !== -1; ) {
    let last = first
    while (bytes[last + 1] === HASH) last += 1
    slots.push({ first, last })
    first = bytes.indexOf(HASH, last + 1)
  }
  return slots
}
