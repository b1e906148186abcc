/** The active filters, each with a button to remove it, and a link to share the view. */
import { TEXTS } from '../../texts.ts'
import { Button } from '../../ui/parts.tsx'
import { showToast } from '../../ui/toast.tsx'
import { activeFilters, type ChangeFilters, FILTER_NAMES, type Filters, toValueText } from './filters.ts'

const T = TEXTS.messages

export function clearFilters(onChange: ChangeFilters): void {
  onChange(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))
}

export function ActiveFilters({ filters, onChange }: Readonly<{ filters: Filters; onChange: ChangeFilters }>) {
  const names = activeFilters(filters)
  if (names.length === 0) return null
  return (
    <div className="row messages-active">
      <ul aria-label={T.activeFilters}>
        {names.map((name) => {
          const words = `${T.names[name]}: ${toValueText(name, filters[name] ?? '')}`
          return (
            <li key={name}>
              <Button aria-label={T.removeFilter(words)} onClick={() => onChange({ [name]: undefined })}>
                <span className="messages-words">{words}</span>
                <span aria-hidden="true">×</span>
              </Button>
            </li>
          )
        })}
      </ul>
      <Button kind="plain" onClick={() => clearFilters(onChange)}>
        {T.clear}
      </Button>
      <Button kind="plain" onClick={() => void copyLink()}>
        {T.copyLink}
      </Button>
    </div>
  )
}

/** Browsers allow clipboard access only over HTTPS or on localhost. */
async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href)
    showToast(T.linkCopied)
  } catch {
    showToast(T.linkNotCopied, 'bad')
  }
}
