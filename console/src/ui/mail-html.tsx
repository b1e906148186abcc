/** The HTML of an email, as a desktop or a phone shows it, in light or dark. The choice holds for all emails. */
import { Monitor, Moon, Smartphone, Sun } from 'lucide-react'
import { lazy, Suspense, useId } from 'react'
import { makeStore, useStore } from '../store.ts'
import { MAIL_VIEW_TEXTS } from '../texts/mail-view.ts'
import type { MailWindow } from './mail-frame.tsx'
import { Loading } from './parts.tsx'
import { Segments } from './segments-field.tsx'

const T = MAIL_VIEW_TEXTS
/** The HTML parser is loaded with the first email. */
const MailFrame = lazy(async () => ({ default: (await import('./mail-frame.tsx')).MailFrame }))

const mailWindow = makeStore<MailWindow>({ device: 'desktop', scheme: 'light' })
const DEVICES = { desktop: Monitor, phone: Smartphone } as const
const SCHEMES = { light: Sun, dark: Moon } as const

export function MailHtml({ html, title }: Readonly<{ html: string; title?: string | undefined }>) {
  const shownIn = useStore(mailWindow)
  const change = (changes: Partial<MailWindow>): void => mailWindow.set({ ...shownIn, ...changes })
  const id = useId()
  return (
    <div>
      <div className="mail-window">
        <Segments
          label={T.device}
          name={`${id}device`}
          value={shownIn.device}
          of={['desktop', 'phone']}
          nameOf={(device) => T.devices[device]}
          iconOf={(device) => DEVICES[device]}
          onChange={(device) => change({ device })}
        />
        <Segments
          label={T.scheme}
          name={`${id}scheme`}
          value={shownIn.scheme}
          of={['light', 'dark']}
          nameOf={(scheme) => T.schemes[scheme]}
          iconOf={(scheme) => SCHEMES[scheme]}
          onChange={(scheme) => change({ scheme })}
        />
      </div>
      <Suspense fallback={<Loading />}>
        <MailFrame html={html} title={title} shownIn={shownIn} />
      </Suspense>
    </div>
  )
}
