/** Where one was in the list when a message was opened, so that the way back leads there. Kept while the tab is open. */
export type Place = Readonly<{ search: string; scrollY: number; selected: string; isFocused: boolean }>

let kept: Place | undefined

export const keepPlace = (place: Place): void => {
  kept = place
}

/** The place in the list with these filters, if one left it last. */
export const keptPlace = (search: string): Place | undefined => (kept?.search === search ? kept : undefined)

/** Where a message leads back to: the list as it was left. */
export const listAddress = (): string =>
  kept === undefined || kept.search === '' ? '/messages' : `/messages?${kept.search}`
