/**
 * The scroll position and selection of the list, saved when a message is opened and restored on the way back. Kept in
 * memory.
 */
export type ListPosition = Readonly<{ search: string; scrollY: number; selected: string; isFocused: boolean }>

let saved: ListPosition | undefined

export const savePosition = (position: ListPosition): void => {
  saved = position
}

/** The saved position, if it belongs to these filters. */
export const savedPosition = (search: string): ListPosition | undefined =>
  saved?.search === search ? saved : undefined

/** The address of the list as it was left. */
export const listAddress = (): string =>
  saved === undefined || saved.search === '' ? '/messages' : `/messages?${saved.search}`
