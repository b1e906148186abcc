/** How many lines of the journal are not in the tables yet. */
export class UnfiledLines {
  readonly #frames: [frame: number, lines: number][] = []
  lines = 0
  /** When the filer had last filed some. */
  progressAt = 0

  add(frame: number, lines: number): void {
    this.#frames.push([frame, lines])
    this.lines += lines
  }

  /** Everything up to this frame is filed. */
  release(filed: number, now: number): void {
    const kept = this.#frames.findIndex(([frame]) => frame > filed)
    const released = this.#frames.splice(0, kept < 0 ? this.#frames.length : kept)
    if (released.length > 0 || this.#frames.length === 0) this.progressAt = now
    for (const [, lines] of released) this.lines -= lines
  }
}
