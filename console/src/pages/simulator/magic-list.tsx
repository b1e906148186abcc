/** The list of magic recipients. */
import { useMutation } from '@tanstack/react-query'
import { TEXTS } from '../../texts.ts'
import { Button, Card } from '../../ui/parts.tsx'
import { showErrorToast, showToast } from '../../ui/toast.tsx'
import { type Channel, type Draft, recipientOf } from './draft.ts'
import { isMagic, type MagicRecipient, magicOf } from './magic.ts'

const T = TEXTS.simulator.magic

type MagicListProps = Readonly<{
  draft: Draft
  channel: Channel
  isAllowed: boolean
  onPick: (to: string) => void
  onSend: (to: string) => Promise<unknown>
}>

export function MagicList({ draft, channel, isAllowed, onPick, onSend }: MagicListProps) {
  const recipients = magicOf(channel)
  const all = useMutation({
    mutationFn: async () => {
      for (const { to } of recipients) await onSend(to())
    },
    onSuccess: () => showToast(T.allDone(recipients.length)),
    onError: showErrorToast,
  })
  return (
    <Card title={T.title} className="magic">
      <p className="soft">{T.about}</p>
      <ul>
        {recipients.map((recipient) => (
          <MagicRow
            key={recipient.name}
            recipient={recipient}
            isChosen={isMagic(recipientOf(draft), recipient)}
            isAllowed={isAllowed}
            onPick={onPick}
            onSend={onSend}
          />
        ))}
      </ul>
      <Button disabled={!isAllowed || all.isPending} onClick={() => all.mutate()}>
        {T.all}
      </Button>
    </Card>
  )
}

type MagicRowProps = Pick<MagicListProps, 'isAllowed' | 'onPick' | 'onSend'> &
  Readonly<{ recipient: MagicRecipient; isChosen: boolean }>

const MagicRow = ({ recipient: { name, line, to }, isChosen, isAllowed, onPick, onSend }: MagicRowProps) => (
  <li>
    <button type="button" className="magic-name" aria-pressed={isChosen} title={to()} onClick={() => onPick(to())}>
      {name}
    </button>
    <span>{line}</span>
    <Button
      kind="plain"
      disabled={!isAllowed}
      aria-label={T.sendTo(name)}
      onClick={() => void onSend(to()).catch(showErrorToast)}
    >
      {T.send}
    </Button>
  </li>
)
