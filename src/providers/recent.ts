/** The texts that were added last, so many of them. */
export class Recent {
  readonly #texts = new Set<string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(text: string): void {
    this.#texts.add(text)
    if (this.#texts.size <= this.#most) return
    const [oldest = ''] = this.#texts
    this.#texts.delete(oldest)
  }

  has(text: string): boolean {
    return this.#texts.has(text)
  }
}
