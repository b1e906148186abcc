/** The words for states: of messages, of their handoff to a provider, of what providers report. */
import { COMMON_TEXTS } from '../texts/common.ts'

const WORDS: Readonly<Record<string, string>> = COMMON_TEXTS.states

/** Newer gateways may know more states. */
export const toStateText = (state: string): string => WORDS[state] ?? state
