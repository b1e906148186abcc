/** What most messages do not need. Unfolds by itself when an error is about one of them. */
import { ChevronRight } from 'lucide-react'
import { useEffect, useState } from 'react'
import { SEND_TEXTS } from '../../texts/send.ts'
import { DescribedField } from '../../ui/described-field.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { TextField } from './content-fields.tsx'
import { isAboutOptions, problemUnder } from './problems.tsx'
import type { FieldsProps } from './send-form.tsx'

const T = SEND_TEXTS

export function Options(fields: FieldsProps) {
  const { draft, error, change } = fields
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isAboutOptions(error)) setOpen(true)
  }, [error])
  return (
    <details className="send-options" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <ChevronRight aria-hidden="true" />
        {T.options}
      </summary>
      <div className="form">
        {draft.kind !== 'otp' && (
          <>
            <TextField {...fields} name="tags" path="/tags" label={T.tags} about={T.tagsAbout} />
            <DescribedField label={T.metadata} about={T.metadataAbout} problem={problemUnder(error, '/metadata')}>
              {(describedBy) => (
                <textarea
                  className="mono send-metadata"
                  spellCheck={false}
                  value={draft.metadata}
                  aria-describedby={describedBy}
                  onChange={(event) => change({ metadata: event.target.value })}
                />
              )}
            </DescribedField>
            <TimeField
              label={T.expiresAt}
              value={draft.expiresAt}
              problem={problemUnder(error, '/expires_at')}
              onChange={(expiresAt) => change({ expiresAt })}
            />
            <TextField
              {...fields}
              name="callbackUrl"
              path="/callback_url"
              label={T.callbackUrl}
              about={T.callbackAbout}
              isCode
            />
          </>
        )}
        <TextField
          {...fields}
          name="key"
          path="/idempotency_key"
          label={T.key}
          hint={T.keyHint}
          about={T.keyAbout}
          isCode
        />
      </div>
    </details>
  )
}
