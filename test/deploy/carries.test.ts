/** What the configuration files of the deployments carry. */
import { describe, test } from 'node:test'
import { sendMail } from '../support/email.ts'
import { openFolder } from '../support/folder.ts'
import { startGateway } from '../support/gateway.ts'
import { freshMailbox } from '../support/otp.ts'
import { send, untilStatus } from '../support/sms.ts'
import { textOf } from './files.ts'

for (const path of ['deploy/compose/config.json', 'deploy/kubernetes/base/config.json']) {
  describe(`a gateway with ${path}`, { timeout: 120_000 }, () => {
    test('delivers an SMS and a mail', async () => {
      await using folder = await openFolder()
      await using gateway = await startGateway({ folder: folder.path, config: JSON.parse(textOf(path)) })
      await untilStatus(gateway, await send(gateway), 'delivered')
      const mail = { to: freshMailbox(), from: 'Acme <no-reply@acme.example>' }
      await untilStatus(gateway, await sendMail(gateway, mail), 'delivered')
    })
  })
}
