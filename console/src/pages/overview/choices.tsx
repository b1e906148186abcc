/** The filters of the overview, kept in the URL. */
import '../../styles/forms.css'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import { timeZoneName } from '../../ui/chart/clock.ts'
import { useParams } from '../../ui/query-string.ts'
import { OptionalSelect } from '../../ui/select.tsx'
import { useProviders } from '../providers/data.ts'
import type { Filter } from './data.ts'
import { CHOICES, type Range, type RangeChoice, toChoice } from './range.ts'

const T = OVERVIEW_TEXTS
const CHANNELS = ['sms', 'email'] as const

export type Chosen = Readonly<{ choice: RangeChoice; filter: Filter; isCompared: boolean }>
type Change = (changes: Partial<Record<'range' | 'channel' | 'provider' | 'compare', string | undefined>>) => void

export function useChoices(): Readonly<{ chosen: Chosen; change: Change }> {
  const [{ range, channel, provider, compare }, change] = useParams(['range', 'channel', 'provider', 'compare'])
  const known = CHANNELS.find((one) => one === channel)
  const filter: Filter = {
    ...(known === undefined ? {} : { channel: known }),
    ...(provider === undefined ? {} : { provider }),
  }
  return { chosen: { choice: toChoice(range), filter, isCompared: compare === 'before' }, change }
}

type Props = Readonly<{ chosen: Chosen; change: Change }>

export function Choices({ chosen: { choice, filter, isCompared }, change }: Props) {
  const { data } = useProviders()
  return (
    <div className="overview-choices">
      <fieldset className="segments">
        <legend className="visually-hidden">{T.range}</legend>
        {CHOICES.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="range"
              className="visually-hidden"
              checked={one === choice}
              onChange={() => change({ range: one === 'auto' ? undefined : one })}
            />
            {T.choices[one]}
          </label>
        ))}
      </fieldset>
      <OptionalSelect
        label={T.channel}
        isLabelHidden
        value={filter.channel}
        none={T.everyChannel}
        of={CHANNELS}
        nameOf={(one) => COMMON_TEXTS.channels[one]}
        onChange={(channel) => change({ channel })}
      />
      <OptionalSelect
        label={T.provider}
        isLabelHidden
        value={filter.provider}
        none={T.everyProvider}
        of={(data?.items ?? []).map(({ name }) => name)}
        onChange={(provider) => change({ provider })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={isCompared}
          onChange={({ target }) => change({ compare: target.checked ? 'before' : undefined })}
        />
        {T.compare}
      </label>
    </div>
  )
}

/** Which time the figures are of. */
export const ShownSpan = ({ range }: Readonly<{ range: Range | undefined }>) => (
  <p className="soft overview-span">
    {range === undefined ? T.noRange : T.shown(T.rangeWords[range])} {T.zone(timeZoneName())}
  </p>
)
