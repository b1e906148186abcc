/** What an engine throws when it cannot do what it promises right now: nothing was changed, try again. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}
