/** Time-dependent behaviour over HTTP with a controlled clock, the same in every profile. */
import { describe } from 'node:test'
import type { ShareTimed } from '../support/timed-gateway.ts'
import { endingsContract } from './endings.contract.ts'
import { limitsContract } from './limits.contract.ts'
import { otpContract } from './otp.contract.ts'
import { usersContract } from './users.contract.ts'

export async function everyTimedProfile(profile: string, share: ShareTimed): Promise<void> {
  await describe(`endingsContract on ${profile}`, () => endingsContract(share))
  await describe(`a gateway on ${profile}`, async () => {
    const gateway = await share({ env: { POMBO_OTP_COST: '4' } })
    for (const [name, contract] of Object.entries({ limitsContract, otpContract, usersContract })) {
      describe(name, () => contract(gateway))
    }
  })
}
