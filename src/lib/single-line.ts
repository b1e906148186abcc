/** Texts of one line: names, subjects, headers. Whatever ends the line would begin another in its place. */

/** Whether it stays on its line, wherever it is written. */
export const isLine = (text: string): boolean => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
