/** The document of a frame that shows a mail. */

/** Applies the styles through the object model once the frame has loaded: the policy of the page forbids inline ones. */
export function dressMail(mail: Document, styles: readonly string[]): void {
  const Sheet = mail.defaultView?.CSSStyleSheet
  if (Sheet !== undefined) {
    mail.adoptedStyleSheets = styles.map((text) => {
      const sheet = new Sheet()
      sheet.replaceSync(text)
      return sheet
    })
  }
  for (const element of mail.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.getAttribute('data-style') ?? ''
  }
}
