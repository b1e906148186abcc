import { routesContract } from '../../src/ports/routes.contract.ts'
import { memoryRoutes } from './routes.ts'

routesContract('memory', async (file) => ({ routes: memoryRoutes(file), async [Symbol.asyncDispose]() {} }))
