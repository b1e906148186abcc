/** The magic recipients, each with what it simulates. An entry leads to the form to send to it. */
import { Link } from 'wouter'
import { SIMULATOR_TEXTS } from '../../texts/simulator.ts'
import { Card } from '../../ui/parts.tsx'
import { type Channel, type MagicRecipient, magicOf } from './magic.ts'

const T = SIMULATOR_TEXTS.magic

export const MagicList = () => (
  <Card title={T.title} className="magic">
    <p className="soft">{T.about}</p>
    <div className="magic-channels">
      <MagicOf channel="sms" />
      <MagicOf channel="email" />
    </div>
  </Card>
)

const MagicOf = ({ channel }: Readonly<{ channel: Channel }>) => (
  <section>
    <h3>{T.channels[channel]}</h3>
    <ul>
      {magicOf(channel).map((recipient) => (
        <MagicRow key={recipient.name} recipient={recipient} />
      ))}
    </ul>
  </section>
)

const MagicRow = ({ recipient: { line, to } }: Readonly<{ recipient: MagicRecipient }>) => (
  <li>
    <Link
      href={`/send?${new URLSearchParams({ to: to(), sample: '1' })}`}
      className="mono"
      aria-label={T.sendTo(toPlain(to()))}
    >
      {toPlain(to())}
    </Link>
    <span className="soft">{line}</span>
  </li>
)

/** Without the plus suffix, which makes a new address with the same behaviour. */
const toPlain = (to: string): string => to.replace(/(?<=.)\+.*@/, '@')
