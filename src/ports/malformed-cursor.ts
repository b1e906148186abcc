/** Thrown by a list whose cursor is none of its own. The API answers it as a validation error. */
export class MalformedCursor extends Error {
  override readonly name = 'MalformedCursor'

  constructor() {
    super('the cursor is malformed')
  }
}
