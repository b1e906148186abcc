/**
 * Applies the styles of an email through the CSSOM after its frame has loaded: the page's policy forbids inline styles.
 */
export function applyMailStyles(mail: Document, styles: readonly string[]): void {
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
