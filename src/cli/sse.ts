/** Parses server-sent events from a response body. */

export type ServerEvent = Readonly<{ id: string | undefined; name: string; data: string }>

/** Yields complete events. An incomplete event at the end of the stream is dropped, as the standard requires. */
export async function* readServerEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let fields: string[] = []
  for await (const line of readLines(body)) {
    if (line !== '') {
      fields.push(line)
      continue
    }
    const event = toEvent(fields)
    fields = []
    if (event !== undefined) yield event
  }
}

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    // A lone CR at the very end may be the first half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Comments and events without data are skipped. */
function toEvent(lines: readonly string[]): ServerEvent | undefined {
  const fields = lines.map((line) => /^([^:]*):? ?(.*)$/s.exec(line)).map((match) => [match?.[1], match?.[2] ?? ''])
  const last = (name: string): string | undefined => fields.findLast(([key]) => key === name)?.[1]
  const data = fields.filter(([key]) => key === 'data').map(([, value]) => value)
  return data.length === 0 ? undefined : { id: last('id'), name: last('event') ?? 'message', data: data.join('\n') }
}
