/** Adds one address to the suppression list. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { SUPPRESSIONS_TEXTS } from '../../texts/suppressions.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { showToast } from '../../ui/toast.tsx'
import { toExpiry } from './suppression.ts'
import { NO_TERMS, TermsFields } from './terms.tsx'

const T = SUPPRESSIONS_TEXTS

export function AddSuppression({ onClose }: Readonly<{ onClose: () => void }>) {
  const [address, setAddress] = useState('')
  const [terms, setTerms] = useState(NO_TERMS)
  const queries = useQueryClient()
  const add = useMutation({
    mutationFn: () => {
      const note = terms.note.trim()
      const body = { reason: terms.reason, ...(note === '' ? {} : { note }), ...toExpiry(terms.until) }
      const params = { path: { address: address.trim() } }
      return unwrap(api.PUT('/v1/suppressions/{address}', { params, body }))
    },
    onSuccess: async (added) => {
      onClose()
      showToast(T.added(added.address))
      await queries.invalidateQueries({ queryKey: ['suppressions'] })
    },
  })
  return (
    <FormDialog
      title={T.addTitle}
      action={COMMON_TEXTS.add}
      fields={['/address', '/note', '/expires_at']}
      error={add.error}
      busy={add.isPending}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <p className="soft">{T.addAbout}</p>
      <Field label={T.address} problem={problemOf(add.error, '/address')}>
        <input required type="email" value={address} onChange={(event) => setAddress(event.target.value)} />
      </Field>
      <TermsFields terms={terms} error={add.error} onChange={setTerms} />
    </FormDialog>
  )
}
