/** Reads server-sent events: yields the frames of each chunk, each as a map of its fields. */
type Frame = ReadonlyMap<string, string>

/** Yields an empty list for a chunk without a complete frame, so that the caller sees the activity. */
export async function* readFrames(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<readonly Frame[]> {
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop() ?? ''
    yield frames.map(toFrame)
  }
}

/** Lines that begin with a colon are comments. */
const toFrame = (frame: string): Frame =>
  new Map(
    frame.split('\n').flatMap((line): [string, string][] => {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value]]
    }),
  )
