/** Single-line texts: names, subjects, headers. A line break in them could inject another header. */

/** Whether it contains no line break or control character. */
export const isSingleLine = (text: string): boolean => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
