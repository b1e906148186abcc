/** The secret of an endpoint: revealed on request, for one minute. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Button, Card } from '../../ui/parts.tsx'
import { FullTime } from '../../ui/time.tsx'
import { showErrorToast } from '../../ui/toast.tsx'
import type { Secret } from './endpoint.ts'
import { RotateSecret } from './rotate-secret.tsx'

const T = WEBHOOKS_TEXTS
const SHOWN_MS = 60_000

export function SecretCard({ id }: Readonly<{ id: string }>) {
  const [secret, setSecret] = useState<Secret>()
  const [isRotating, setRotating] = useState(false)
  const reveal = useMutation({
    mutationFn: () => unwrap(api.GET('/v1/endpoints/{id}/secret', { params: { path: { id } } })),
    onSuccess: setSecret,
    onError: showErrorToast,
    gcTime: 0,
  })
  useEffect(() => {
    if (secret === undefined) return
    const timer = setTimeout(() => setSecret(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [secret])
  return (
    <Card title={T.secret}>
      <div className="stack">
        <p className="soft">{T.secretAbout}</p>
        {secret === undefined ? <Masked /> : <Revealed secret={secret} />}
        <div className="row">
          {secret === undefined ? (
            <Button disabled={reveal.isPending} onClick={() => reveal.mutate()}>
              {T.reveal}
            </Button>
          ) : (
            <Button onClick={() => setSecret(undefined)}>{T.hide}</Button>
          )}
          {secret !== undefined && <CopyButton text={secret.secret} what={T.secret} />}
          <Button onClick={() => setRotating(true)}>{T.rotate}</Button>
        </div>
      </div>
      {isRotating && <RotateSecret id={id} onRotated={setSecret} onClose={() => setRotating(false)} />}
    </Card>
  )
}

const Masked = () => (
  <code>
    <span aria-hidden="true">whsec_••••••••••••••••••••••••</span>
    <span className="visually-hidden">{T.secretMasked}</span>
  </code>
)

const Revealed = ({ secret }: Readonly<{ secret: Secret }>) => (
  <div className="stack secret">
    <code>{secret.secret}</code>
    {secret.previous_secret !== null && secret.previous_secret_until !== null && (
      <p className="soft">
        {T.previous} <FullTime at={secret.previous_secret_until} />: <code>{secret.previous_secret}</code>
      </p>
    )}
  </div>
)
