/** All messages of one send are in one batch. */

/** The list of the messages of a send. */
export const messagesOf = (id: string): string => `/messages?${new URLSearchParams({ batch: id })}`
