/** The HTML of an email in a sandboxed frame that runs and loads nothing. It grows with its content up to a limit. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { MAIL_VIEW_TEXTS } from '../texts/mail-view.ts'
import { applyMailStyles } from './mail-document.ts'
import { toSafeMail } from './safe-mail.ts'

const T = MAIL_VIEW_TEXTS
const [LEAST_HEIGHT, MOST_HEIGHT] = [80, 640]

/** In which window an email is shown, and in which theme of the reader. */
export type MailWindow = Readonly<{ device: 'desktop' | 'phone'; scheme: 'light' | 'dark' }>

type FrameProps = Readonly<{ html: string; title?: string | undefined; shownIn: MailWindow }>

export function MailFrame({ html, title = T.frame, shownIn: { device, scheme } }: FrameProps) {
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
        className={`mail-frame ${device} ${scheme}`}
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
