/** The filters of the overview, kept in the URL. */
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { useParams } from '../../ui/query-string.ts'
import { useProviders } from '../providers/data.ts'
import type { Channel, Filter } from './data.ts'
import { RANGES, type Range, toRange } from './range.ts'

const T = TEXTS.overview
const CHANNELS = ['sms', 'email'] as const

type Chosen = Readonly<{ range: Range; filter: Filter }>

export function useChoices() {
  const [{ range, channel, provider }, change] = useParams(['range', 'channel', 'provider'])
  const known = CHANNELS.find((one) => one === channel)
  const filter: Filter = {
    ...(known === undefined ? {} : { channel: known }),
    ...(provider === undefined ? {} : { provider }),
  }
  return { chosen: { range: toRange(range), filter } satisfies Chosen, change }
}

type Props = Readonly<{
  chosen: Chosen
  change: (changes: Partial<Record<'range' | 'channel' | 'provider', string | undefined>>) => void
}>

export function Choices({ chosen: { range, filter }, change }: Props) {
  return (
    <>
      <Choice
        label={T.channel}
        value={filter.channel}
        allLabel={T.everyChannel}
        options={CHANNELS}
        nameOf={(channel) => TEXTS.common.channels[channel as Channel]}
        onChange={(channel) => change({ channel })}
      />
      <ProviderChoice value={filter.provider} onChange={(provider) => change({ provider })} />
      <fieldset className="segments">
        <legend className="visually-hidden">{T.range}</legend>
        {RANGES.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="range"
              className="visually-hidden"
              checked={one === range}
              onChange={() => change({ range: one === '1h' ? undefined : one })}
            />
            {T.ranges[one]}
          </label>
        ))}
      </fieldset>
    </>
  )
}

type ProviderChoiceProps = Readonly<{ value: string | undefined; onChange: (value: string) => void }>

/** Includes a provider from the URL that is no longer configured. */
function ProviderChoice({ value, onChange }: ProviderChoiceProps) {
  const { data } = useProviders()
  const names = new Set((data?.items ?? []).map(({ name }) => name))
  if (value !== undefined) names.add(value)
  return (
    <Choice
      label={T.provider}
      value={value}
      allLabel={T.everyProvider}
      options={[...names]}
      nameOf={(name) => name}
      onChange={onChange}
    />
  )
}

type ChoiceProps = Readonly<{
  label: string
  value: string | undefined
  allLabel: string
  options: readonly string[]
  nameOf: (option: string) => string
  onChange: (value: string) => void
}>

const Choice = ({ label, value = '', allLabel, options, nameOf, onChange }: ChoiceProps) => (
  <select className="input choice" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
    <option value="">{allLabel}</option>
    <Options of={options} nameOf={nameOf} />
  </select>
)
