/** The result of one check of `pombo doctor`. */
export type Check = Readonly<{ name: string; kind: 'passed' | 'warned' | 'failed'; detail: string }>

export const passed = (name: string, detail: string): Check => ({ name, kind: 'passed', detail })
export const warned = (name: string, detail: string): Check => ({ name, kind: 'warned', detail })
export const failed = (name: string, detail: string): Check => ({ name, kind: 'failed', detail })
