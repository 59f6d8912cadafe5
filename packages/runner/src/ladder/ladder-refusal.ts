import { isProviderRefusal } from "@bridle/llm";
