/** What the palette asks for. */

/** In characters; the API takes no longer ones. */
const LONGEST = 200

export const toSearchText = (text: string): string => text.trim().slice(0, LONGEST)

const ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** The id of a message, if the text is one. */
export const toMessageId = (text: string): string | undefined => {
  const typed = text.trim().toLowerCase()
  return ID.test(typed) ? typed : undefined
}
