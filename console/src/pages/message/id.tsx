/** An id that can be copied. */
import { Copy } from 'lucide-react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { copyText } from '../../ui/copy.tsx'
import { Button } from '../../ui/parts.tsx'
import { toShortId } from '../../ui/recipient.ts'

type IdProps = Readonly<{ id: string; name: string; isShort?: boolean }>

export const Id = ({ id, name, isShort = false }: IdProps) => (
  <span className="id">
    <code title={id}>{isShort ? toShortId(id) : id}</code>
    <Button
      kind="plain"
      className="icon-only"
      aria-label={`${COMMON_TEXTS.copy}: ${name}`}
      title={`${COMMON_TEXTS.copy}: ${name}`}
      onClick={() => void copyText(id)}
    >
      <Copy size={14} aria-hidden="true" />
    </Button>
  </span>
)
