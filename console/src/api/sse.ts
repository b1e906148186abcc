/** Reads server-sent events: of each frame its fields by name, as many frames at once as came at once. */
type Frame = ReadonlyMap<string, string>

/** Also says that something came where that was no whole frame. */
export async function* readFrames(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<readonly Frame[]> {
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop() ?? ''
    yield frames.map(toFrame)
  }
}

/** A line that begins with a colon is a remark. */
const toFrame = (frame: string): Frame =>
  new Map(
    frame.split('\n').flatMap((line): [string, string][] => {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value]]
    }),
  )
