/** A body as lines of text, as they arrive. The end of a line is LF, CR LF or CR. */

export async function* linesOf(body: ReadableStream<Uint8Array>, onRead?: () => void): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      onRead?.()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      // A CR at the very end may be half of a CR LF.
      const lines = rest.split(done ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      yield* lines
      if (!done) continue
      if (rest !== '') yield rest
      return
    }
  } finally {
    // The connection is not kept for a body that nobody reads to its end.
    reader.cancel().catch(() => undefined)
  }
}
