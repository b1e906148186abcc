/** Types of the package `oidc-provider`, as far as the tests use it. */
declare module 'oidc-provider' {
  type Request = import('node:http').IncomingMessage
  type Response = import('node:http').ServerResponse

  export class Grant {
    constructor(of: Readonly<{ accountId: string; clientId: string }>)
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  // biome-ignore lint/style/noDefaultExport: the package has one
  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: typeof Grant
    callback(): (request: Request, response: Response) => Promise<void>
    interactionDetails(
      request: Request,
      response: Response,
    ): Promise<
      Readonly<{
        prompt: Readonly<{ name: string }>
        params: Readonly<{ client_id: string; scope: string }>
        session?: Readonly<{ accountId: string }>
      }>
    >
    interactionFinished(request: Request, response: Response, result: object): Promise<void>
  }
}
