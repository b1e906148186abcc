/** The HTML of an email in a sandboxed frame that runs and loads nothing. It grows with its content up to a limit. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { TEXTS } from '../texts.ts'
import { applyMailStyles } from './mail-document.ts'
import { toSafeMail } from './safe-mail.ts'

const T = TEXTS.mailView
const [LEAST_HEIGHT, MOST_HEIGHT] = [80, 640]

export function MailFrame({ html, title = T.frame }: Readonly<{ html: string; title?: string | undefined }>) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(LEAST_HEIGHT)
  const mail = useMemo(() => toSafeMail(html), [html])

  const measure = (): void => {
    const content = frame.current?.contentDocument?.body
    if (content == null) return
    // Measures the body plus its margins: the document is at least as high as the frame.
    setHeight(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, content.scrollHeight + 2 * 16)))
  }
  useEffect(() => {
    if (frame.current === null) return
    const observer = new ResizeObserver(measure)
    observer.observe(frame.current)
    return () => observer.disconnect()
  })
  const onLoad = (): void => {
    const content = frame.current?.contentDocument
    if (content == null) return
    applyMailStyles(content, mail.styles)
    measure()
  }
  return (
    <>
      <iframe
        ref={frame}
        className="mail-frame"
        title={title}
        sandbox="allow-same-origin"
        referrerPolicy="no-referrer"
        srcDoc={mail.source}
        style={{ height }}
        onLoad={onLoad}
      />
      {mail.hasOutside && <p className="mail-blocked soft">{T.blocked}</p>}
    </>
  )
}
