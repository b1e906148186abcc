/** Replays all events since a given time. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { toLocalTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

const T = TEXTS.webhooks
const HOUR_MS = 3_600_000

export function ReplaySince({ id, onClose }: Readonly<{ id: string; onClose: () => void }>) {
  const [since, setSince] = useState(() => toLocalTime(Date.now() - HOUR_MS))
  const queries = useQueryClient()
  const replay = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/endpoints/{id}/replay', {
          params: { path: { id } },
          body: { since: new Date(since).toISOString() },
        }),
      ),
    onSuccess: async ({ replayed }) => {
      onClose()
      showToast(T.replayed(replayed))
      await queries.invalidateQueries({ queryKey: ['endpoints', id] })
    },
  })
  return (
    <FormDialog
      title={T.replayTitle}
      action={T.replay}
      fields={['/since']}
      error={replay.error}
      busy={replay.isPending}
      onSubmit={() => replay.mutate()}
      onClose={onClose}
    >
      <p className="soft">{T.replayAbout}</p>
      <Field label={T.from} problem={problemOf(replay.error, '/since')}>
        <input required type="datetime-local" value={since} onChange={(event) => setSince(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
