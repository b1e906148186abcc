/** Copies a text to the clipboard. */
import { TEXTS } from '../texts.ts'
import { Button } from './parts.tsx'
import { showToast } from './toast.tsx'

/** Browsers allow clipboard access only over HTTPS or on localhost. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast(TEXTS.common.copied)
  } catch {
    showToast(TEXTS.common.notCopied, 'bad')
  }
}

type CopyProps = Readonly<{ text: string; what: string }>

/** `what` names the copied text for screen readers. */
export const CopyButton = ({ text, what }: CopyProps) => (
  <Button aria-label={`${TEXTS.common.copy}: ${what}`} onClick={() => void copy(text)}>
    {TEXTS.common.copy}
  </Button>
)
