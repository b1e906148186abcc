/** Replays all events since a given time. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { showToast } from '../../ui/toast.tsx'

const T = WEBHOOKS_TEXTS
const HOUR_MS = 3_600_000

export function ReplaySince({ id, onClose }: Readonly<{ id: string; onClose: () => void }>) {
  const [since, setSince] = useState<string | undefined>(() => new Date(Date.now() - HOUR_MS).toISOString())
  const queries = useQueryClient()
  const replay = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/endpoints/{id}/replay', {
          params: { path: { id } },
          body: { since: since ?? '' },
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
      <TimeField
        label={T.from}
        required
        value={since}
        problem={problemOf(replay.error, '/since')}
        onChange={setSince}
      />
    </FormDialog>
  )
}
