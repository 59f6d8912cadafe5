export {
  createExpressions,
  type ExpressionsOptions,
  type WarmExpressions,
} from "./create-expressions.ts";
