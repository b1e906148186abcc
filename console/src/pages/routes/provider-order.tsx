/** Edits the providers of a route, in order of preference or with weights. */
import { ROUTES_TEXTS } from '../../texts/routes.ts'
import { Button } from '../../ui/parts.tsx'
import type { Draft, DraftProvider } from './route-draft.ts'

const T = ROUTES_TEXTS.form

type OrderProps = Readonly<{
  draft: Draft
  names: readonly string[]
  problem: string | undefined
  onChange: (changes: Partial<Draft>) => void
}>

export function ProviderOrder({ draft: { providers, weighted }, names, problem, onChange }: OrderProps) {
  const left = names.filter((name) => !providers.some((one) => one.name === name))
  const set = (next: readonly DraftProvider[]): void => onChange({ providers: next })
  const swap = (place: number): void =>
    set(
      providers.map(
        (one, at) => (at === place - 1 ? providers[place] : at === place ? providers[place - 1] : one) ?? one,
      ),
    )
  return (
    <fieldset className="fields">
      <legend>{T.providers}</legend>
      <label className="check">
        <input type="checkbox" checked={weighted} onChange={({ target }) => onChange({ weighted: target.checked })} />
        {T.weighted}
      </label>
      <p className="soft">{weighted ? T.weightedHint : T.orderedHint}</p>
      <ol className={`provider-order ${weighted ? 'weighted' : ''}`}>
        {providers.map((one, place) => (
          <li key={one.name}>
            <span>{one.name}</span>
            {weighted ? (
              <WeightInput
                provider={one}
                onChange={(weight) => set(providers.map((each) => (each === one ? { ...one, weight } : each)))}
              />
            ) : (
              <Button kind="plain" disabled={place === 0} aria-label={T.earlier(one.name)} onClick={() => swap(place)}>
                ↑
              </Button>
            )}
            <Button
              kind="plain"
              aria-label={T.without(one.name)}
              onClick={() => set(providers.filter((each) => each !== one))}
            >
              ×
            </Button>
          </li>
        ))}
      </ol>
      {left.length > 0 && (
        <div className="row">
          {left.map((name) => (
            <Button key={name} onClick={() => set([...providers, { name, weight: '1' }])}>
              + {name}
            </Button>
          ))}
        </div>
      )}
      {problem !== undefined && <p className="problem">{problem}</p>}
    </fieldset>
  )
}

type WeightProps = Readonly<{ provider: DraftProvider; onChange: (weight: string) => void }>

const WeightInput = ({ provider: { name, weight }, onChange }: WeightProps) => (
  <input
    className="input weight"
    type="number"
    min={0}
    max={1000}
    required
    aria-label={T.weightOf(name)}
    value={weight}
    onChange={({ target }) => onChange(target.value)}
  />
)
