/** Copies a text to the clipboard. */
import { COMMON_TEXTS } from '../texts/common.ts'
import { Button } from './parts.tsx'
import { showToast } from './toast.tsx'

/** Browsers allow clipboard access only over HTTPS or on localhost. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast(COMMON_TEXTS.copied)
  } catch {
    showToast(COMMON_TEXTS.notCopied, 'bad')
  }
}

type CopyProps = Readonly<{ text: string; what: string }>

/** `what` names the copied text for screen readers. */
export const CopyButton = ({ text, what }: CopyProps) => (
  <Button aria-label={`${COMMON_TEXTS.copy}: ${what}`} onClick={() => void copyText(text)}>
    {COMMON_TEXTS.copy}
  </Button>
)
