/** Puts a text on the clipboard, and says so. */
import { TEXTS } from '../texts.ts'
import { Button } from './parts.tsx'
import { tell } from './toast.tsx'

/** Browsers give a clipboard only to pages that came by https or from this machine. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    tell(TEXTS.common.copied)
  } catch {
    tell(TEXTS.common.wentWrong, 'bad')
  }
}

type CopyProps = Readonly<{ text: string; what: string }>

/** `what` is copied, for those who hear the button rather than see what stands before it. */
export const CopyButton = ({ text, what }: CopyProps) => (
  <Button aria-label={`${TEXTS.common.copy}: ${what}`} onClick={() => void copy(text)}>
    {TEXTS.common.copy}
  </Button>
)
