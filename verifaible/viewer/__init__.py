"""The viewer: pages over a store, runs, judged answers, graphs and conversations, each with its JSON."""
