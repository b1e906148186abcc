/** How much text of the journal is not in the tables yet. */
export class UnfiledText {
  readonly #frames: [frame: number, length: number][] = []
  length = 0
  /** When the filer had last filed some. */
  progressAt = 0

  add(frame: number, length: number): void {
    this.#frames.push([frame, length])
    this.length += length
  }

  /** Everything up to this frame is filed. */
  release(filed: number, now: number): void {
    const kept = this.#frames.findIndex(([frame]) => frame > filed)
    const released = this.#frames.splice(0, kept < 0 ? this.#frames.length : kept)
    if (released.length > 0 || this.#frames.length === 0) this.progressAt = now
    for (const [, length] of released) this.length -= length
  }
}
