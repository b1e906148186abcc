/** The preview of an SMS or an email. */
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { GsmText } from '../../ui/gsm-text.tsx'
import { MailView } from '../../ui/mail-view.tsx'
import { Card, Failure } from '../../ui/parts.tsx'
import { toSegments } from '../../ui/segments.ts'
import { SegmentMeter, toPlain } from './segment-meter.tsx'
import type { Draft } from './template.ts'
import type { Preview, Shown } from './use-preview.ts'

const T = TEMPLATES_TEXTS

type PaneProps = Readonly<{ draft: Draft; preview: Preview; onPlain: ((text: string) => void) | undefined }>

export const PreviewPane = (props: PaneProps) => (
  <Card title={T.preview}>
    <Previewed {...props} />
  </Card>
)

/** The preview without a frame. */
export function Previewed({ draft, preview: { shown, isOld, flaws, error }, onPlain }: PaneProps) {
  return (
    <div className="stack">
      {error !== null && flaws.length === 0 && <Failure error={error} />}
      {shown === undefined && <p className="soft">{flaws.length > 0 ? T.previewFaulty : T.previewEmpty}</p>}
      {shown !== undefined && isOld && <p className="note">{T.previewOld}</p>}
      {shown !== undefined && draft.channel === 'email' && <MailView {...shown} />}
      {shown !== undefined && draft.channel === 'sms' && <Sms shown={shown} draft={draft} onPlain={onPlain} />}
    </div>
  )
}

type SmsProps = Pick<PaneProps, 'draft' | 'onPlain'> & Readonly<{ shown: Shown }>

function Sms({ shown, draft, onPlain }: SmsProps) {
  const segments = toSegments(shown.text)
  const plain = toPlain(draft.text)
  const canHelp = onPlain !== undefined && plain !== draft.text
  return (
    <>
      <p className="bubble">
        {segments.parts.map(({ text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place
          <span key={index} className="bubble-part">
            <GsmText text={text} />
          </span>
        ))}
      </p>
      <SegmentMeter segments={segments} onPlain={canHelp ? () => onPlain(plain) : undefined} />
    </>
  )
}
