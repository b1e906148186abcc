/**
 * Makes the html of a mail safe to be shown: nothing of it runs, loads or leads away. Its styles are taken out, since
 * the policy of the page forbids them inline, and are put back through the object model once it is shown.
 */
type SafeMail = Readonly<{ source: string; styles: readonly string[]; hasOutside: boolean }>

/** The frame has the policy of the page already; this one is stricter, and holds wherever the page is served from. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">`

const NEVER_SHOWN = 'script, meta, base, link, iframe, frame, object, embed, audio, video, noscript'
const LOADING_STYLE = /url\(\s*["']?(?!data:)/i
const LOADS = ['src', 'srcset', 'background', 'poster'] as const

/** Mail is written for white paper, whatever the theme; a link shows where it would lead. */
const PAPER = `
:root { color-scheme: only light; color: CanvasText; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 12px; overflow-wrap: anywhere; }
img { max-width: 100%; }
a[data-href] { color: LinkText; text-decoration: underline; cursor: help; }
`

export function toSafeMail(html: string): SafeMail {
  const mail = new DOMParser().parseFromString(setStylesAside(html), 'text/html')
  const styles = [...mail.querySelectorAll('style, script[type="text/css"]')].map(
    ({ textContent }) => textContent ?? '',
  )
  for (const element of mail.querySelectorAll(`${NEVER_SHOWN}, style`)) element.remove()
  const blocked = [...mail.querySelectorAll('*')].map(disarm).filter(Boolean).length
  const source = `<!doctype html>${POLICY}<title>mail</title>${mail.body.outerHTML}`
  return { source, styles: [PAPER, ...styles], hasOutside: blocked > 0 || LOADING_STYLE.test(html) }
}

/**
 * Renames styles while they are still text: a browser complains of each one that the policy forbids, already when it
 * parses. One that is missed here costs a complaint and nothing else.
 */
const setStylesAside = (html: string): string =>
  html
    .replace(/<style\b/gi, '<script type="text/css"')
    .replace(/<\/style\b/gi, '</script')
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/([\s"'])style(\s*=)/gi, '$1data-style$2'))

/** Whether it wanted to load something from elsewhere. */
function disarm(element: Element): boolean {
  for (const { name } of [...element.attributes])
    if (/^on|^(?:action|formaction|ping|target)$/i.test(name)) element.removeAttribute(name)
  const style = element.getAttribute('style')
  if (style !== null) {
    element.setAttribute('data-style', style)
    element.removeAttribute('style')
  }
  const href = element.getAttribute('href') ?? element.getAttribute('xlink:href')
  if (href !== null) {
    element.setAttribute('data-href', '')
    element.setAttribute('title', href)
    element.removeAttribute('href')
    element.removeAttribute('xlink:href')
  }
  return LOADS.map((name) => unload(element, name)).includes(true)
}

function unload(element: Element, name: string): boolean {
  const address = element.getAttribute(name)
  if (address === null || /^\s*data:image\//i.test(address)) return false
  element.removeAttribute(name)
  return true
}

/** Puts the styles back, when the frame has loaded. */
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
