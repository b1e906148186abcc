/** A channel as an icon with a name. */
import { Mail, MessageSquareText } from 'lucide-react'
import type { Message } from '../api/client.ts'
import { COMMON_TEXTS } from '../texts/common.ts'

const ICONS = { sms: MessageSquareText, email: Mail } as const

export function ChannelIcon({ channel }: Pick<Message, 'channel'>) {
  const [Icon, name] = [ICONS[channel], COMMON_TEXTS.channels[channel]]
  return (
    <span role="img" aria-label={name} title={name} className="channel-icon">
      <Icon aria-hidden="true" />
    </span>
  )
}
